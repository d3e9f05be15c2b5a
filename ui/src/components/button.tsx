import type { ComponentProps } from 'react';
import { Link, type LinkProps } from 'react-router-dom';
import { classNames } from './class-names.ts';
import styles from './button.module.css';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';

interface Looks {
  readonly variant?: ButtonVariant | undefined;
  readonly size?: 'normal' | 'small' | undefined;
  /** As wide as what it stands in. */
  readonly wide?: boolean | undefined;
}

function looks({ variant = 'secondary', size, wide }: Looks, className: string | undefined): string {
  return classNames(
    styles['button'],
    styles[variant],
    size === 'small' && styles['small'],
    wide && styles['wide'],
    className,
  );
}

export interface ButtonProps extends ComponentProps<'button'>, Looks {
  /** Its work is under way: it cannot be pressed again, and says so. */
  readonly busy?: boolean;
}

export function Button({
  variant,
  size,
  wide,
  busy = false,
  disabled,
  className,
  type = 'button',
  ...rest
}: ButtonProps) {
  const look = looks({ variant, size, wide }, className);
  return (
    <button {...rest} type={type} className={look} disabled={disabled === true || busy} aria-busy={busy || undefined} />
  );
}

export interface LinkButtonProps extends LinkProps, Looks {}

/** A link that looks like a button: it goes somewhere, a `Button` does something. */
export function LinkButton({ variant, size, wide, className, ...rest }: LinkButtonProps) {
  const look = looks({ variant, size, wide }, className);
  return <Link {...rest} className={look} />;
}

export interface IconButtonProps extends ComponentProps<'button'> {
  /** What it does, for those who do not see the icon. */
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
