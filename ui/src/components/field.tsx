import { createContext, use, useId, type ComponentProps, type ReactNode } from 'react';
import { serverText } from '../i18n/server-text.ts';
import { useUiText } from '../i18n/text.tsx';
import { AlertIcon, ChevronDownIcon } from '../icons/icons.tsx';
import { classNames } from './class-names.ts';
import styles from './field.module.css';

interface FieldState {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}

/** What a control needs to know of the field around it. */
const FieldContext = createContext<FieldState | null>(null);

export interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** What is wrong, in words; null or absent when nothing is. */
  readonly error?: string | null | undefined;
  /** Marks the label; required fields carry no mark. */
  readonly optional?: boolean;
  /** Exactly one control: TextInput, TextArea or Select. */
  readonly children: ReactNode;
  readonly className?: string | undefined;
}

/** Label above, control, hint and error below, tied together for screen readers. */
export function Field({ label, hint, error, optional = false, children, className }: FieldProps) {
  const t = useUiText();
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const describedBy = classNames(hint != null && hintId, error != null && errorId) || undefined;
  return (
    <div className={classNames(styles['field'], className)}>
      <label className={styles['label']} htmlFor={id}>
        {label}
        {optional && <span className={styles['optional']}> ({t('ui.optional')})</span>}
      </label>
      <FieldContext value={{ id, describedBy, invalid: error != null }}>{children}</FieldContext>
      {hint != null && (
        <p id={hintId} className={styles['hint']}>
          {hint}
        </p>
      )}
      <FieldError id={errorId} error={error} />
    </div>
  );
}

/** Errors of fields come from the domain's rules, in English, or are in the visitor's language already. */
function FieldError({ id, error }: { readonly id: string; readonly error: string | null | undefined }) {
  useUiText();
  return (
    <div aria-live="polite" className={styles['errorSlot']}>
      {error != null && (
        <p id={id} className={styles['error']}>
          <AlertIcon />
          {serverText(error)}
        </p>
      )}
    </div>
  );
}

function useFieldControl() {
  const field = use(FieldContext);
  if (!field) return {};
  return { id: field.id, 'aria-describedby': field.describedBy, 'aria-invalid': field.invalid || undefined };
}

export function TextInput({ className, type = 'text', ...rest }: ComponentProps<'input'>) {
  return <input {...useFieldControl()} {...rest} type={type} className={classNames(styles['control'], className)} />;
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea {...useFieldControl()} {...rest} className={classNames(styles['control'], styles['area'], className)} />
  );
}

export function Select({ className, ...rest }: ComponentProps<'select'>) {
  return (
    <span className={styles['selectFrame']}>
      <select {...useFieldControl()} {...rest} className={classNames(styles['control'], styles['select'], className)} />
      <ChevronDownIcon />
    </span>
  );
}

export interface ChoiceProps extends ComponentProps<'input'> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
}

export function Checkbox({ label, hint, className, ...rest }: ChoiceProps) {
  return (
    <Choice {...rest} type="checkbox" label={label} hint={hint} className={classNames(styles['choice'], className)} />
  );
}

/** One choice of a `RadioGroup`. All of a group share `name`. */
export function Radio({ label, hint, className, ...rest }: ChoiceProps) {
  return (
    <Choice
      {...rest}
      type="radio"
      label={label}
      hint={hint}
      className={classNames(styles['choice'], styles['boxed'], className)}
    />
  );
}

function Choice({ label, hint, className, ...rest }: ChoiceProps) {
  const hintId = useId();
  return (
    <label className={className}>
      <input {...rest} aria-describedby={hint == null ? undefined : hintId} />
      <span>{label}</span>
      {hint != null && (
        <span id={hintId} className={styles['hint']}>
          {hint}
        </span>
      )}
    </label>
  );
}

export interface RadioGroupProps {
  readonly legend: ReactNode;
  readonly error?: string | null | undefined;
  readonly children: ReactNode;
}

export function RadioGroup({ legend, error, children }: RadioGroupProps) {
  const errorId = useId();
  return (
    <fieldset aria-describedby={error == null ? undefined : errorId}>
      <legend className={styles['legend']}>{legend}</legend>
      <div className={styles['choices']}>{children}</div>
      <FieldError id={errorId} error={error} />
    </fieldset>
  );
}
