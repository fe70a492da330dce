package nemesis

import (
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

const (
	tunPath = "/dev/net/tun"
	// mtu is large, because the switch's work is per packet.
	mtu = 9000
)

// openTUN makes a device with an address in the network namespace of the calling thread, and brings
// it and the loopback device up. Packets sent to the network are read from the file. The device
// disappears with the file.
func openTUN(addr netip.Prefix) (*os.File, error) {
	fd, err := unix.Open(tunPath, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", tunPath, err)
	}
	const device = "net0"
	ifr, err := unix.NewIfreq(device)
	if err == nil {
		ifr.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, ifr)
	}
	if err == nil {
		err = configure(device, addr)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("make a network device: %w", err)
	}
	return os.NewFile(uintptr(fd), tunPath), nil
}

// configure gives a device its address, and brings it and the loopback device up.
func configure(device string, addr netip.Prefix) error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	mask := netip.AddrFrom4([4]byte{255, 255, 255, 0})
	for _, step := range []struct {
		device  string
		request uint
		set     func(*unix.Ifreq) error
	}{
		{"lo", unix.SIOCSIFFLAGS, up},
		{device, unix.SIOCSIFADDR, func(r *unix.Ifreq) error { return r.SetInet4Addr(addr.Addr().AsSlice()) }},
		{device, unix.SIOCSIFNETMASK, func(r *unix.Ifreq) error { return r.SetInet4Addr(mask.AsSlice()) }},
		{device, unix.SIOCSIFMTU, func(r *unix.Ifreq) error { r.SetUint32(mtu); return nil }},
		{device, unix.SIOCSIFFLAGS, up},
	} {
		ifr, err := unix.NewIfreq(step.device)
		if err != nil {
			return err
		}
		if err := step.set(ifr); err != nil {
			return err
		}
		if err := unix.IoctlIfreq(s, step.request, ifr); err != nil {
			return fmt.Errorf("%s, request %#x: %w", step.device, step.request, err)
		}
	}
	return nil
}

func up(r *unix.Ifreq) error {
	r.SetUint16(unix.IFF_UP)
	return nil
}
