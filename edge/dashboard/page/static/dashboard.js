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

// askDevice has a device make a passkey, or show one, and sends the form with what it answers.
async function askDevice(form) {
  const asked = await fetch(form.dataset.ask, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
  if (!asked.ok) throw new Error(asked.status);
  const { publicKey } = await asked.json();
  const answer = form.dataset.passkey === 'create'
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
  form.elements.answer.value = JSON.stringify(answer);
  form.submit();
}

// Passkeys are offered where the browser knows them.
if (window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  for (const text of document.querySelectorAll('[data-without-passkeys]')) text.hidden = true;
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    const problem = form.querySelector('[role=alert]');
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      problem.textContent = '';
      askDevice(form).catch(({ name }) => {
        problem.textContent = (name === 'InvalidStateError' && form.dataset.known) || form.dataset.failed;
      });
    });
  }
}

const form = document.getElementById('try');
if (form) retell(form);
// toColor is a color as the picker of a browser takes it.
function toColor(text) {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text);
  return short ? '#' + short.slice(1).map((digit) => digit + digit).join('') : text;
}

// A color can be picked as well as typed, and a file be chosen in place of typing its text.
document.addEventListener('input', (event) => {
  const { target } = event;
  if (target.dataset.for) {
    const field = document.getElementById(target.dataset.for);
    field.value = target.value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  const picker = target.id && document.querySelector(`[data-for="${target.id}"]`);
  if (picker && /^#[0-9a-f]{6}$/i.test(toColor(target.value))) picker.value = toColor(target.value);
});

document.addEventListener('change', async ({ target }) => {
  if (!target.dataset.into || !target.files.length) return;
  const [file] = target.files;
  target.value = '';
  if ('bytes' in target.dataset) {
    await send(file, target.dataset.into);
    return;
  }
  const field = document.getElementById(target.dataset.into);
  field.value = 'uri' in target.dataset ? await dataURI(file) : await file.text();
  field.dispatchEvent(new Event('input', { bubbles: true }));
});

// dataURI has the bytes of a file.
function dataURI(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

// send puts the bytes of a file into a field, and sends its form.
async function send(file, id) {
  const field = document.getElementById(id);
  field.value = await dataURI(file);
  field.form.requestSubmit();
}

// A file may be dropped on a form that takes one.
for (const event of ['dragover', 'drop']) {
  document.addEventListener(event, (e) => {
    const form = e.target.closest('[data-drop]');
    if (!form || !e.dataTransfer.types.includes('Files')) return;
    e.preventDefault();
    if (event === 'drop' && e.dataTransfer.files.length) send(e.dataTransfer.files[0], form.dataset.drop);
  });
}

// preview has the preview of a form follow what is typed, some time after the last key.
function preview(form) {
  const shown = document.getElementById('preview');
  let timer, busy = false;

  function later(pause) {
    clearTimeout(timer);
    timer = setTimeout(refresh, pause);
  }

  async function refresh() {
    if (busy) return later(200); // one at a time, and the last is what counts
    busy = true;
    shown.setAttribute('aria-busy', 'true');
    const body = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === 'string'));
    body.set('part', 'yes');
    try {
      const answer = await fetch(form.dataset.preview, { method: 'POST', body });
      if (answer.redirected || ![200, 422, 429, 503].includes(answer.status)) throw new Error(answer.status);
      if (answer.status === 429) later(2000);
      const part = await answer.text();
      shown.innerHTML = part;
      announce(shown.querySelector('[data-news]')?.dataset.news ?? shown.textContent.trim());
    } catch {
      shown.textContent = shown.dataset.failed;
      announce(shown.dataset.failed);
    }
    busy = false;
    shown.removeAttribute('aria-busy');
  }

  form.addEventListener('input', () => later(700));
  if (!shown.childElementCount) refresh();
}

// complete offers the placeholders after a brace that is typed into a field.
function complete(list) {
  const options = [...list.children];
  const home = list.parentElement;
  let field, chosen;
  for (const [i, option] of options.entries()) option.id = `placeholder-${i}`;

  // begun is the name that is being typed, undefined if none is.
  const begun = () => /\{([a-z_]*)$/.exec(field.value.slice(0, field.selectionStart))?.[1];

  function choose(option) {
    chosen?.removeAttribute('aria-selected');
    chosen = option;
    chosen?.setAttribute('aria-selected', 'true');
    chosen?.scrollIntoView({ block: 'nearest' });
    if (chosen) field.setAttribute('aria-activedescendant', chosen.id);
    else field.removeAttribute('aria-activedescendant');
  }

  function close() {
    if (list.hidden) return;
    choose(undefined);
    list.hidden = true;
    field.removeAttribute('aria-controls');
    home.append(list);
  }

  function open(name) {
    for (const option of options) option.hidden = !option.textContent.startsWith(`{${name}`);
    const first = options.find((option) => !option.hidden);
    if (!first) return close();
    if (list.hidden) {
      field.parentElement.append(list);
      list.hidden = false;
      field.setAttribute('aria-controls', list.id);
      announce(`${options.filter((option) => !option.hidden).length} ${list.getAttribute('aria-label')}`);
    }
    choose(first);
  }

  function take() {
    const at = field.selectionStart;
    field.setRangeText(chosen.textContent, at - begun().length - 1, at, 'end');
    close();
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }

  function step(by) {
    const shown = options.filter((option) => !option.hidden);
    choose(shown[(shown.indexOf(chosen) + by + shown.length) % shown.length]);
  }

  const keys = { ArrowDown: () => step(1), ArrowUp: () => step(-1), Enter: take, Tab: take, Escape: close };

  document.addEventListener('input', ({ target }) => {
    if (target.dataset.placeholders === undefined) return;
    if (field !== target) close();
    field = target;
    const name = begun();
    if (name === undefined) close();
    else open(name);
  });
  document.addEventListener('keydown', (event) => {
    if (list.hidden || event.target !== field || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.addEventListener('focusout', ({ target }) => { if (target === field) close(); });
  list.addEventListener('mousedown', (event) => {
    event.preventDefault(); // the field keeps the focus
    if (event.target.role !== 'option') return;
    choose(event.target);
    take();
  });
}

const placeholders = document.getElementById('placeholders');
if (placeholders) complete(placeholders);

const editor = document.querySelector('form[data-preview]');
if (editor) preview(editor);

// A page with a secret answers a form. Loading it again must not send the form again, which would make another key or link.
const section = document.querySelector('nav [aria-current]');
if (section && document.querySelector('.secret')) history.replaceState(null, '', section.href);

const main = document.querySelector('main[data-live]');
if (main) follow(main.dataset.live, document.getElementById('live'));
