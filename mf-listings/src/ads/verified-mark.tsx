import { useId, useState, type CSSProperties } from 'react';
import { VerifiedIcon } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './verified-mark.module.css';

const GAP_px = 8;
const WIDTH_px = 256;

/**
 * A mark for verified providers, with an explanation for mouse, keyboard and screen readers. It is a button, so it must
 * not be inside a link.
 */
export function VerifiedMark() {
  const t = useText();
  const id = useId();
  const [popoverStyle, setPopoverStyle] = useState<CSSProperties>({});
  const meaning = t('verifiedMeaning');

  /** Positions the explanation below the mark and inside the window. */
  const placeBelow = (mark: Element) => {
    const { left, bottom } = mark.getBoundingClientRect();
    setPopoverStyle({
      insetBlockStart: bottom + GAP_px,
      insetInlineStart: Math.max(GAP_px, Math.min(left - GAP_px, window.innerWidth - WIDTH_px - GAP_px)),
      inlineSize: WIDTH_px,
    });
  };

  return (
    <>
      <button
        type="button"
        className={styles['mark']}
        popoverTarget={id}
        aria-label={`${t('verified')}: ${meaning}`}
        title={meaning}
        onClick={(event) => placeBelow(event.currentTarget)}
      >
        <VerifiedIcon />
      </button>
      <span
        id={id}
        popover="auto"
        className={styles['meaning']}
        style={popoverStyle}
        onToggle={({ newState, currentTarget }) => {
          // The explanation does not scroll with the mark, so scrolling hides it.
          if (newState === 'open')
            window.addEventListener('scroll', () => currentTarget.hidePopover(), { once: true, passive: true });
        }}
      >
        <strong>{t('verified')}</strong> {meaning}
      </span>
    </>
  );
}
