import { TextInput, VisuallyHidden } from '@alpenglow/ui';
import { useEffect, useRef, useState, type ComponentProps } from 'react';
import { useText } from './text.ts';
import styles from './password-input.module.css';

interface PasswordInputProps extends Omit<ComponentProps<'input'>, 'type'> {
  readonly autoComplete: 'current-password' | 'new-password';
}

/**
 * A password field with a button that shows the password. Submitting the form hides the password, so that the browser
 * does not store it as ordinary text.
 */
export function PasswordInput({ className, ...rest }: PasswordInputProps) {
  const t = useText();
  const frame = useRef<HTMLSpanElement>(null);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const form = frame.current?.closest('form');
    const hide = () => setShown(false);
    form?.addEventListener('submit', hide);
    return () => form?.removeEventListener('submit', hide);
  }, []);
  return (
    <span ref={frame} className={styles['frame']}>
      <TextInput
        {...rest}
        type={isShown ? 'text' : 'password'}
        className={styles['input']}
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
      />
      <button type="button" className={styles['toggle']} onClick={() => setShown(!isShown)}>
        <span aria-hidden="true">{isShown ? t('auth.hide') : t('auth.show')}</span>
        <VisuallyHidden>{isShown ? t('auth.hidePassword') : t('auth.showPassword')}</VisuallyHidden>
      </button>
    </span>
  );
}
