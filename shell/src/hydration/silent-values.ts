/**
 * Values that a program has put into fields without an event, as some password managers do. Forms learn values only
 * from events, so they would send empty fields.
 */
import { hasChanged, isControl, repeatChange, sendForm, type Control } from './early-input.ts';

/** The value of each control at its last `input` or `change` event. */
const known = new WeakMap<Control, string>();
const remember = ({ target }: Event) => {
  if (isControl(target)) known.set(target, target.value);
};

/**
 * Sends the missing events of a form before it is sent, and then sends the form again. Select elements are left out:
 * React sets their values without events, and a repeated change of one can reset another field, for example the city of
 * a state.
 */
export function watchSilentValues(): void {
  addEventListener('input', remember, { capture: true });
  addEventListener('change', remember, { capture: true });
  addEventListener(
    'submit',
    (event) => {
      const { target: form, submitter } = event;
      if (!(form instanceof HTMLFormElement)) return;
      const silent = [...form.elements].filter(
        (element): element is Control =>
          isControl(element) &&
          !(element instanceof HTMLSelectElement) &&
          !['checkbox', 'radio', 'file', 'hidden'].includes(element.type) &&
          (known.get(element) ?? null) !== element.value &&
          hasChanged(element),
      );
      if (silent.length === 0) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      for (const control of silent) repeatChange(control)();
      setTimeout(() => sendForm(form, submitter));
    },
    { capture: true },
  );
}
