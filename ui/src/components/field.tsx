import { createContext, use, useId, type ComponentProps, type ReactNode } from 'react';
import { translateServerText } from '../i18n/server-text.ts';
import { useUiText } from '../i18n/text.tsx';
import { AlertIcon, ChevronDownIcon } from '../icons/icons.tsx';
import { classNames } from './class-names.ts';
import layout from './layout.module.css';
import styles from './field.module.css';

interface FieldState {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}

const FieldContext = createContext<FieldState | null>(null);

export interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** Error message of the field. It is null or omitted if the value is valid. */
  readonly error?: string | null | undefined;
  /** True if the label contains the note "optional". Required fields have no note. */
  readonly optional?: boolean;
  /** Exactly one form control, for example `TextInput`, `TextArea` or `Select`. */
  readonly children: ReactNode;
  readonly className?: string | undefined;
}

/**
 * Shows a form control with its label, hint and error message. These texts are linked to the control, so that screen
 * readers read them together with the control.
 */
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

/**
 * Shows the error message of a form field. `Field` and `RadioGroup` contain it, so only other controls need it. Domain
 * rules create their messages in English, so the component translates them.
 */
export function FieldError({ id, error }: { readonly id: string; readonly error: string | null | undefined }) {
  useUiText();
  return (
    <div aria-live="polite" className={styles['errorSlot']}>
      {error != null && (
        <p id={id} className={styles['error']}>
          <AlertIcon />
          {translateServerText(error)}
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

/** One choice of a `RadioGroup`. All choices of a group have the same `name`. */
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

function Choice({ label, hint, className, 'aria-describedby': describedBy, ...rest }: ChoiceProps) {
  const hintId = useId();
  return (
    <label className={className}>
      <input {...rest} aria-describedby={classNames(hint != null && hintId, describedBy) || undefined} />
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
    <fieldset
      role="radiogroup"
      aria-describedby={error == null ? undefined : errorId}
      aria-invalid={error != null || undefined}
    >
      <legend className={styles['legend']}>{legend}</legend>
      {/* The message is above the choices, because a long list of choices would move it out of sight. */}
      <div className={styles['groupError']}>
        <FieldError id={errorId} error={error} />
      </div>
      <div className={layout['stack2']}>{children}</div>
    </fieldset>
  );
}
