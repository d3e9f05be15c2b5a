/**
 * Records what the visitor types, chooses and presses before React has taken over the server-rendered HTML, and repeats
 * it afterwards. React itself would ignore pressed buttons, and would replace typed text by the initial values. Links,
 * and forms that work without scripts, are not recorded, because the browser itself handles them.
 */
import { useIsHydrated } from '@alpenglow/ui';
import { useEffect, useLayoutEffect } from 'react';
import { SCRIPTED_FORM } from './early-presses.ts';

export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The changes that are repeated after hydration, by control. */
const changes = new Map<Control, Change>();
/** The sent form or the last pressed button. Impatient visitors press several times. */
let action: {
  readonly find: () => Element | null;
  readonly element: HTMLElement;
  readonly repeat: (element: HTMLElement) => void;
} | null = null;
const recording = new AbortController();
const isTakenOver = () => globalThis.alpenglowHydration === undefined;

export const isControl = (target: EventTarget | null): target is Control =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

const isChoice = (control: Control): control is HTMLInputElement =>
  control.type === 'checkbox' || control.type === 'radio';

export function hasChanged(control: Control): boolean {
  if (control instanceof HTMLSelectElement) {
    const defaultIndex = [...control.options].findIndex(({ defaultSelected }) => defaultSelected);
    return control.selectedIndex !== Math.max(0, defaultIndex);
  }
  return isChoice(control) ? control.checked !== control.defaultChecked : control.value !== control.defaultValue;
}

interface Change {
  /** Returns the control in the document. React replaces the HTML if an extension has inserted nodes into it. */
  readonly find: () => Element | null;
  readonly repeat: (control: Control) => void;
}

/** Returns a function that finds an element again after React has replaced the HTML. */
function rememberPlace(element: Element): () => Element | null {
  const { tagName } = element;
  const name = ['name', 'id', 'aria-label'].find((attribute) => element.hasAttribute(attribute));
  const selector = name ? `${tagName}[${name}="${CSS.escape(element.getAttribute(name) ?? '')}"]` : tagName;
  const index = [...document.querySelectorAll(selector)].indexOf(element);
  return () => (element.isConnected ? element : (document.querySelectorAll(selector)[index] ?? null));
}

/** Returns a function that sets the current value of a control again, and informs React about it. */
export function repeatChange(control: Control): (target?: Control) => void {
  if (control instanceof HTMLSelectElement) {
    const { value } = control;
    return (target = control) => {
      target.value = value;
      target.dispatchEvent(new Event('change', { bubbles: true }));
    };
  }
  // React ignores an event if the value equals the last one that it has tracked. It tracks values that are set through
  // the element. So the other value is set first through the element. Then the visitor's value is set untracked: by a
  // click, or by the setter of the prototype.
  if (isChoice(control)) {
    const { checked } = control;
    return (target = control) => {
      (target as HTMLInputElement).checked = !checked;
      target.click();
    };
  }
  const { value } = control;
  return (target = control) => {
    target.value = (target as HTMLInputElement).defaultValue;
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), 'value')?.set?.call(target, value);
    target.dispatchEvent(new Event('input', { bubbles: true }));
  };
}

const record = (control: Control) => {
  // The last change comes last, because it decides which radio button of a group is selected.
  changes.delete(control);
  if (control.type !== 'file') changes.set(control, { find: rememberPlace(control), repeat: repeatChange(control) });
};

/** Returns the pressed button, unless the browser itself handles it or the visitor leaves the site with it. */
const findButton = (target: EventTarget | null) =>
  target instanceof Element
    ? target.closest<HTMLButtonElement>('button[type="button"]:not([popovertarget], [data-leave-site])')
    : null;

/** Records the values that differ from the HTML, also those that a program has set without an event. */
export function recordChanges(root: Element): void {
  for (const control of root.querySelectorAll<Control>('input, textarea, select'))
    if (hasChanged(control)) record(control);
}

/** Starts to record input in the server-rendered HTML of `root`. Includes what the visitor has already done. */
export function recordEarlyInput(root: Element): void {
  recordChanges(root);
  const recordPress = (target: EventTarget | null) => {
    const button = findButton(target);
    if (!button || !root.contains(button)) return;
    if (isTakenOver()) action = null;
    else if (!(action?.element instanceof HTMLFormElement)) action = pressAgain(button);
  };
  const recordSubmit = (form: HTMLFormElement) => {
    action = {
      find: rememberPlace(form),
      element: form,
      repeat: (found) => sendForm(found as HTMLFormElement),
    };
  };
  for (const element of globalThis.alpenglowPresses ?? [])
    if (element instanceof HTMLFormElement) recordSubmit(element);
    else recordPress(element);
  globalThis.alpenglowPresses = undefined;
  // These listeners run after those of React. If React has taken over the page, it has handled the event already. The
  // recorded input is then out of date, so it is dropped.
  const onInput = ({ target }: Event) => {
    if (!isControl(target)) return;
    if (isTakenOver()) changes.delete(target);
    else record(target);
  };
  const onSubmit = (event: Event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches(SCRIPTED_FORM)) return;
    if (isTakenOver()) action = null;
    else {
      event.preventDefault();
      recordSubmit(form);
    }
  };
  const { signal } = recording;
  addEventListener('input', onInput, { signal });
  addEventListener('click', ({ target }) => recordPress(target), { signal });
  addEventListener('submit', onSubmit, { signal });
}

/** Sends a form through its `submit` event. Not every supported browser has `requestSubmit`. */
export function sendForm(form: HTMLFormElement, submitter: HTMLElement | null = null): void {
  form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter }));
}

function pressAgain(button: HTMLButtonElement) {
  const { ariaPressed } = button;
  // The HTML does not contain the visitor's own data, so the button may have shown a wrong state, for example "Save"
  // for a saved ad. If the state has changed since the press, the button is not pressed again.
  const repeat = (found: HTMLElement) => {
    if (found.ariaPressed === ariaPressed) found.click();
  };
  return { find: () => (button.isConnected ? button : null), element: button, repeat };
}

/** Repeats the recorded changes. React renders after each one, so that the next one meets the current state. */
async function repeatChanges(): Promise<void> {
  for (const [control, { find, repeat }] of changes) {
    await Promise.resolve();
    const found = changes.delete(control) ? find() : null;
    if (isControl(found)) repeat(found);
  }
}

async function repeatAction(): Promise<void> {
  await repeatChanges();
  await Promise.resolve();
  recording.abort();
  const last = action;
  action = null;
  const found = last?.find();
  if (found instanceof HTMLElement) last?.repeat(found);
}

/**
 * Repeats the early input. Changed controls are repeated when React has taken over the page, and the last action when
 * the session is known too, because its effect may depend on the visitor.
 */
export function useEarlyInput(isSessionKnown: boolean): void {
  const isHydrated = useIsHydrated();
  useLayoutEffect(() => {
    globalThis.alpenglowHydration = undefined;
  }, []);
  useEffect(() => {
    if (isHydrated) void (isSessionKnown ? repeatAction() : repeatChanges());
  }, [isHydrated, isSessionKnown]);
}
