import { ChevronDownIcon, GlobeIcon, VisuallyHidden } from '@alpenglow/ui';
import { useEffect, useId, useRef, useState } from 'react';
import { useCurrentLocale } from '../locale/locale.ts';
import { useText } from '../text.ts';
import { LanguageChoice, LiveNoticesChoice, ThemeChoice } from './choices.tsx';
import styles from './preferences.module.css';

/**
 * A button that opens a panel with the choices of language, theme and live notices. Escape, a click outside the panel,
 * or moving the focus out of the panel closes it.
 */
export function Preferences() {
  const t = useText();
  const locale = useCurrentLocale();
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panelId = useId();

  useEffect(() => {
    if (!isOpen) return;
    const closeFromOutside = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false);
    };
    addEventListener('pointerdown', closeFromOutside);
    addEventListener('focusin', closeFromOutside);
    return () => {
      removeEventListener('pointerdown', closeFromOutside);
      removeEventListener('focusin', closeFromOutside);
    };
  }, [isOpen]);

  return (
    <div
      ref={root}
      className={styles['root']}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        className={styles['button']}
        aria-expanded={isOpen}
        aria-controls={panelId}
        onClick={() => setOpen(!isOpen)}
      >
        <GlobeIcon size={1.2} />
        <span>{locale.toUpperCase()}</span>
        <VisuallyHidden>, {t('preferences')}</VisuallyHidden>
        <ChevronDownIcon size={1} className={styles['chevron']} />
      </button>
      <div id={panelId} hidden={!isOpen} className={styles['panel']}>
        <LanguageChoice labelled />
        <ThemeChoice labelled />
        <LiveNoticesChoice labelled />
      </div>
    </div>
  );
}
