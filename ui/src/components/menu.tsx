import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import styles from './menu.module.css';

/** Minimum distance between the menu and the edge of the screen. */
const EDGE_px = 8;

export interface MenuProps extends Pick<ButtonProps, 'variant' | 'size'> {
  readonly label: ReactNode;
  /** Accessible name of the button, which is necessary if its label is a symbol. */
  readonly name?: string;
  readonly children: ReactNode;
}

/** A button that opens a menu of buttons. Escape, a choice, or a click elsewhere closes the menu. */
export function Menu({ label, name, children, variant = 'quiet', size = 'small' }: MenuProps) {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const choices = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (!isOpen || !choices.current || !frame.current) return;
    const { left, top, bottom } = frame.current.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height, style } = choices.current;
    const { clientWidth, clientHeight } = document.documentElement;
    // Near the edge of the screen, the menu is moved inwards or placed above its button.
    style.left = `${Math.max(EDGE_px, Math.min(left, clientWidth - width - EDGE_px))}px`;
    style.top = `${bottom + height + EDGE_px > clientHeight && top > height ? top - height : bottom}px`;
  }, [isOpen]);
  useEffect(() => {
    const button = frame.current;
    if (!isOpen || !button) return;
    const { left, top } = button.getBoundingClientRect();
    const close = (event: Event) => {
      if (event.target instanceof Node && !button.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', close);
    const closeAtOnce = () => setOpen(false);
    // Scrolling closes the menu, because the menu has a fixed position while its button scrolls with the page. The
    // event of a scroll that ended before the menu opened may arrive later, and the button has then not moved.
    const closeIfMoved = () => {
      const now = button.getBoundingClientRect();
      if (now.left !== left || now.top !== top) setOpen(false);
    };
    document.addEventListener('focusin', close);
    document.addEventListener('scroll', closeIfMoved, true);
    window.addEventListener('resize', closeAtOnce);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('focusin', close);
      document.removeEventListener('scroll', closeIfMoved, true);
      window.removeEventListener('resize', closeAtOnce);
    };
  }, [isOpen]);
  const closeAndFocus = () => {
    setOpen(false);
    frame.current?.querySelector('button')?.focus();
  };
  return (
    <div
      ref={frame}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        closeAndFocus();
      }}
    >
      <Button
        variant={variant}
        size={size}
        aria-label={name}
        title={name}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </Button>
      <div ref={choices} id={id} className={styles['choices']} hidden={!isOpen} onClick={closeAndFocus}>
        {isOpen && children}
      </div>
    </div>
  );
}

export interface ChoiceProps {
  readonly onChoose: () => void;
  readonly danger?: boolean;
  readonly isChosen?: boolean;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

export function Choice({ onChoose, danger = false, isChosen, disabled = false, children }: ChoiceProps) {
  return (
    <button
      type="button"
      className={styles['choice']}
      data-danger={danger || undefined}
      aria-pressed={isChosen}
      disabled={disabled}
      onClick={onChoose}
    >
      {children}
    </button>
  );
}
