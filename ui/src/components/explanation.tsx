import { useId, useState, type CSSProperties, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './explanation.module.css';

const GAP_px = 8;
const WIDTH_px = 256;

interface ExplanationProps {
  /** The accessible name of the button, which contains the explanation. */
  readonly label: string;
  readonly title: string;
  readonly explanation: ReactNode;
  readonly className: string | undefined;
  /** The content of the button. */
  readonly children: ReactNode;
}

/**
 * A button that shows an explanation, for touch screens, keyboard, mouse and screen readers. It must not be inside a
 * link. Without scripts, it works in browsers that have popovers.
 */
export function Explanation({ label, title, explanation, className, children }: ExplanationProps) {
  const id = useId();
  const [position, setPosition] = useState<CSSProperties>({});
  // Only for browsers without popovers (Chrome before 114, Safari before 17, Firefox before 125).
  const [isShown, setShown] = useState(false);

  /** Positions the explanation inside the window, above a mark in its lower half, and below any other mark. */
  const place = (mark: Element) => {
    const { left, top, bottom } = mark.getBoundingClientRect();
    setPosition({
      ...(top > window.innerHeight / 2
        ? { insetBlockEnd: window.innerHeight - top + GAP_px }
        : { insetBlockStart: bottom + GAP_px }),
      insetInlineStart: Math.max(GAP_px, Math.min(left - GAP_px, window.innerWidth - WIDTH_px - GAP_px)),
      inlineSize: WIDTH_px,
    });
  };
  return (
    <>
      <button
        type="button"
        className={classNames(styles['button'], className)}
        popoverTarget={id}
        aria-label={label}
        title={title}
        onClick={({ currentTarget }) => {
          place(currentTarget);
          if (!('popover' in currentTarget)) setShown(!isShown);
        }}
        onBlur={() => setShown(false)}
      >
        {children}
      </button>
      <span
        id={id}
        popover="auto"
        className={styles['explanation']}
        style={position}
        data-shown={isShown || undefined}
        onToggle={({ newState, currentTarget }) => {
          // The explanation does not scroll with the mark, so scrolling hides it.
          if (newState === 'open')
            window.addEventListener('scroll', () => currentTarget.hidePopover?.(), { once: true, passive: true });
        }}
      >
        {explanation}
      </span>
    </>
  );
}
