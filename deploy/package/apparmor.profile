# Ubuntu from 23.10 on lets a program make user namespaces only if a profile says so. The browser's sandbox is made of
# them. Nothing else is confined here: what confines the browser is its sandbox, and the unit of platen.
abi <abi/4.0>,
include <tunables/global>

profile platen-browser /usr/lib/chromium/chromium-headless-shell flags=(unconfined) {
  userns,
  include if exists <local/platen-browser>
}
