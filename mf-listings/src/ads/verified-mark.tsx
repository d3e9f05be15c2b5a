import { useId, useState, type CSSProperties } from 'react';
import { VerifiedIcon } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './verified-mark.module.css';

const GAP_px = 8;
const WIDTH_px = 256;

/**
 * The mark explains itself: on hover, by a press or the keyboard, and to a screen reader by its name. It is a button, so it stands
 * beside a link, never inside one.
 */
export function VerifiedMark() {
  const t = useText();
  const id = useId();
  const [place, setPlace] = useState<CSSProperties>({});
  const meaning = t('verifiedMeaning');

  /** Below the mark, inside the window. */
  const placeBelow = (mark: Element) => {
    const { left, bottom } = mark.getBoundingClientRect();
    setPlace({
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
        style={place}
        onToggle={({ newState, currentTarget }) => {
          // It stands still in the window, so it would part from its mark.
          if (newState === 'open')
            window.addEventListener('scroll', () => currentTarget.hidePopover(), { once: true, passive: true });
        }}
      >
        <strong>{t('verified')}</strong> {meaning}
      </span>
    </>
  );
}
