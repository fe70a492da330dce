'use strict';

// Everything works without this script, but for copying: what needs it is shown only where it runs.
document.documentElement.classList.add('scripted');

const news = document.getElementById('news');

function announce(text) {
  if (news && news.textContent !== text) news.textContent = text;
}

// copy puts the text beside a button into the clipboard. Without a clipboard, as on http, it selects the text.
async function copy(button) {
  const source = button.parentElement.querySelector('code');
  let outcome = button.dataset.copied;
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    getSelection().selectAllChildren(source);
    outcome = button.dataset.failed;
  }
  const label = button.dataset.label ??= button.textContent;
  button.textContent = outcome;
  announce(outcome);
  clearTimeout(button.timer);
  button.timer = setTimeout(() => { button.textContent = label; announce(''); }, 2500);
}

// ask moves a dangerous form out of its details into a dialog, and back when it is not sent.
function ask(details) {
  const form = details.querySelector('.ask');
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', form.querySelector('.question').textContent);
  dialog.append(form);
  dialog.addEventListener('close', () => {
    details.append(form);
    dialog.remove();
    details.querySelector('summary').focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  form.querySelector('[data-close]').focus();
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button) copy(button);
  const summary = event.target.closest('.confirm > summary');
  if (summary) {
    event.preventDefault();
    ask(summary.parentElement);
  }
  if (event.target.closest('[data-close]')) event.target.closest('dialog').close();
});

// follow replaces the live part of a page by what the node sends, when it is something else.
function follow(address, part) {
  let source, shown, latest;

  const same = (element) => element.id || element.getAttribute('href') || element.textContent;

  // told is what a screen reader is told of the part, in a few words instead of all that has changed.
  const told = () => part.querySelector('[data-news]')?.dataset.news ?? '';

  function selected() {
    const selection = getSelection();
    return !selection.isCollapsed && part.contains(selection.anchorNode);
  }

  function show() {
    if (latest === undefined || latest === shown || selected()) return;
    shown = latest;
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const { scrollX, scrollY } = window;
    const said = told();
    part.innerHTML = latest;
    if (focused) {
      const again = [...part.querySelectorAll(focused.localName)].find((e) => same(e) === same(focused));
      again?.focus({ preventScroll: true });
    }
    scrollTo(scrollX, scrollY);
    if (told() !== said) announce(told());
  }

  function open() {
    if (source || document.hidden) return;
    source = new EventSource(address);
    source.onmessage = (event) => { latest = event.data; show(); };
  }

  function close() {
    source?.close();
    source = undefined;
  }

  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  document.addEventListener('selectionchange', show);
  addEventListener('pagehide', close);
  addEventListener('pageshow', open);
  open();
}

// retell shows the programs of a form anew when something in it has changed. The last answer counts that was asked for.
function retell(form) {
  let asked = 0;
  form.addEventListener('change', async () => {
    const turn = ++asked;
    const body = new URLSearchParams(new FormData(form));
    body.set('do', 'show');
    const answer = await fetch(form.action, { method: 'POST', body }).then((r) => r.text()).catch(() => '');
    const fresh = new DOMParser().parseFromString(answer, 'text/html').getElementById('programs');
    if (!fresh || turn !== asked) return;
    const part = document.getElementById('programs');
    const open = [...part.querySelectorAll('.program')].map((p) => p.open);
    fresh.querySelectorAll('.program').forEach((p, i) => { p.open = open[i] ?? p.open; });
    part.replaceWith(fresh);
  });
}

const form = document.getElementById('try');
if (form) retell(form);

// A page with a secret answers a form. Loading it again must not send the form again, which would make another key or link.
const section = document.querySelector('nav [aria-current]');
if (section && document.querySelector('.secret')) history.replaceState(null, '', section.href);

const main = document.querySelector('main[data-live]');
if (main) follow(main.dataset.live, document.getElementById('live'));
