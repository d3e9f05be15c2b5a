import { Field, TextInput } from '@alpenglow/ui';
import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { useText } from '../../text.ts';
import { readCode, typedCode } from './read-code.ts';
import styles from './code-field.module.css';

interface CodeFieldProps {
  readonly registration: UseFormRegisterReturn;
  readonly hint: ReactNode;
  readonly error: string | undefined;
  /** Called with a code that was pasted, into the field or anywhere on the page. */
  readonly onPasted: (code: string) => void;
}

/** Takes the 6 digits of a mail, typed, filled in by the browser, or pasted with whatever stood around them. */
export function CodeField({ registration, hint, error, onPasted }: CodeFieldProps) {
  const t = useText();
  const { ref: register, onChange, ...rest } = registration;
  const input = useRef<HTMLInputElement>(null);

  const paste = useEffectEvent((event: ClipboardEvent) => {
    const { target } = event;
    // What is pasted into another field belongs there.
    if (target !== input.current && target instanceof Element && target.closest('input, textarea, [contenteditable]'))
      return;
    const code = readCode(event.clipboardData?.getData('text') ?? '');
    if (code === null) return;
    event.preventDefault();
    onPasted(code);
    input.current?.focus();
  });
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => paste(event);
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, []);

  return (
    <Field label={t('auth.code')} hint={hint} error={error}>
      <TextInput
        {...rest}
        ref={(element) => {
          register(element);
          input.current = element;
        }}
        className={styles['code']}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => {
          event.target.value = typedCode(event.target.value);
          void onChange(event);
        }}
      />
    </Field>
  );
}
