import type { ComponentProps } from 'react';
import { Link, type LinkProps } from 'react-router-dom';
import { classNames } from './class-names.ts';
import styles from './button.module.css';

type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';

interface ButtonStyle {
  readonly variant?: ButtonVariant | undefined;
  readonly size?: 'normal' | 'small' | undefined;
  /** True if the button has the full width of its container. */
  readonly wide?: boolean | undefined;
}

function buttonClass({ variant = 'secondary', size, wide }: ButtonStyle, className: string | undefined): string {
  return classNames(
    styles['button'],
    styles[variant],
    size === 'small' && styles['small'],
    wide && styles['wide'],
    className,
  );
}

export interface ButtonProps extends ComponentProps<'button'>, ButtonStyle {
  /** True while the action of the button is running. A busy button cannot be pressed. */
  readonly busy?: boolean;
}

export function Button(props: ButtonProps) {
  const { variant, size, wide, busy = false, disabled, className, type = 'button', ...rest } = props;
  const buttonClasses = buttonClass({ variant, size, wide }, className);
  return (
    <button
      {...rest}
      type={type}
      className={buttonClasses}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
    />
  );
}

export interface LinkButtonProps extends LinkProps, ButtonStyle {}

/** A link that looks like a button. Use it to open a page, and `Button` to perform an action. */
export function LinkButton({ variant, size, wide, className, ...rest }: LinkButtonProps) {
  const buttonClasses = buttonClass({ variant, size, wide }, className);
  return <Link {...rest} className={buttonClasses} />;
}

export interface IconButtonProps extends ComponentProps<'button'> {
  readonly label: string;
}

export function IconButton({ label, className, type = 'button', children, ...rest }: IconButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-label={label}
      title={label}
      className={classNames(styles['button'], styles['icon'], className)}
    >
      {children}
    </button>
  );
}
