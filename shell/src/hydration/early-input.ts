/**
 * Input that arrives while the browser shows the server-rendered HTML, but before React has taken it over. Without this
 * module, React would ignore pressed buttons, and would replace typed text by the initial values. Links, and forms that
 * work without scripts, are not recorded, because the browser itself handles them.
 */
import { useEffect, useLayoutEffect } from 'react';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Forms with this attribute do not work without scripts. */
const SCRIPTED_FORM = 'form[data-needs-scripts]';

/** For each control that the visitor has changed, a function that repeats the change. */
const changes = new Map<Control, () => void>();
/** The last pressed button or sent form. Earlier ones are omitted, because impatient visitors press several times. */
let action: { readonly element: HTMLElement; readonly repeat: () => void } | null = null;
let stopRecording = () => {};

const isControl = (target: unknown): target is Control =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

const isChoice = (control: Control): control is HTMLInputElement =>
  control.type === 'checkbox' || control.type === 'radio';

function hasChanged(control: Control): boolean {
  if (control instanceof HTMLSelectElement) {
    const defaultIndex = [...control.options].findIndex(({ defaultSelected }) => defaultSelected);
    return control.selectedIndex !== Math.max(0, defaultIndex);
  }
  return isChoice(control) ? control.checked !== control.defaultChecked : control.value !== control.defaultValue;
}

/**
 * Returns a function that sets the current value again and informs React about it. React ignores the event if the value
 * equals the last one that a script has set. It notices scripts that set the property of the element, but not scripts
 * that call the setter of the class.
 */
function repeatChange(control: Control): () => void {
  if (control instanceof HTMLSelectElement) {
    const { value } = control;
    return () => {
      control.value = value;
      control.dispatchEvent(new Event('change', { bubbles: true }));
    };
  }
  if (isChoice(control)) {
    const { checked } = control;
    return () => {
      control.checked = !checked;
      control.click();
    };
  }
  const { value } = control;
  return () => {
    control.value = control.defaultValue;
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')?.set?.call(control, value);
    control.dispatchEvent(new Event('input', { bubbles: true }));
  };
}

/** Starts to record input in the server-rendered HTML of `root`. Includes the controls that were changed before. */
export function recordEarlyInput(root: Element): void {
  for (const control of root.querySelectorAll<Control>('input, textarea, select'))
    if (hasChanged(control)) changes.set(control, repeatChange(control));
  const onInput = ({ target }: Event) => {
    if (isControl(target)) changes.set(target, repeatChange(target));
  };
  const onClick = ({ target }: Event) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>('button[type="button"]') : null;
    if (button) action = { element: button, repeat: () => button.click() };
  };
  const onSubmit = (event: Event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches(SCRIPTED_FORM)) return;
    event.preventDefault();
    action = { element: form, repeat: () => form.requestSubmit() };
  };
  // These listeners run after those of React. If an event makes React take over the page, React handles the event, and
  // the listeners are removed before they run.
  addEventListener('input', onInput);
  addEventListener('click', onClick);
  addEventListener('submit', onSubmit);
  stopRecording = () => {
    removeEventListener('input', onInput);
    removeEventListener('click', onClick);
    removeEventListener('submit', onSubmit);
  };
}

/** Repeats the recorded input. */
function repeatEarlyInput(): void {
  for (const [control, repeat] of changes) if (control.isConnected) repeat();
  changes.clear();
  if (action?.element.isConnected) action.repeat();
  action = null;
}

/** Repeats the recorded input when React has taken over the page and all effects of the page have run. */
export function useEarlyInput(): void {
  useLayoutEffect(() => stopRecording(), []);
  useEffect(repeatEarlyInput, []);
}
