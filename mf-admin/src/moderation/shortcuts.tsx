import { useEffect, useEffectEvent, useState } from 'react';
import { Button, Checkbox, classNames, Dialog } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { useModerationSettings } from './moderation-settings.ts';
import styles from './case-page.module.css';

const KEYS = ['n', 'c', 'd'] as const;
type ShortcutKey = (typeof KEYS)[number];

interface ShortcutsProps {
  /** The actions of the page by key. A key without an action does nothing. */
  readonly actions: Readonly<Partial<Record<ShortcutKey, () => void>>>;
}

/**
 * Calls the actions of a page when their keys are pressed, and shows all keys on `?`. Keys that are typed into a text
 * field have no effect. A moderator can switch all keys off, because speech input may send single letters. The button
 * then remains on every device, so that the moderator can switch them on again.
 */
export function Shortcuts({ actions }: ShortcutsProps) {
  const t = useText();
  const { settings, change } = useModerationSettings();
  const [isOpen, setOpen] = useState(false);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!settings.hasShortcuts) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (isTextField(event.target) || document.querySelector('dialog[open]') !== null) return;
    if (event.key === '?') setOpen(true);
    const key = KEYS.find((one) => one === event.key.toLowerCase());
    const action = key && actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <>
      <Button
        size="small"
        variant="quiet"
        className={classNames(styles['keys'], settings.hasShortcuts && styles['keysOn'])}
        onClick={() => setOpen(true)}
      >
        {t('moderation.keys')}
      </Button>
      <Dialog open={isOpen} title={t('moderation.keys')} onClose={() => setOpen(false)}>
        <dl className={styles['keyList']}>
          {[...KEYS, '?' as const].map((key) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{t(`moderation.key.${key === '?' ? 'help' : key}`)}</dd>
            </div>
          ))}
        </dl>
        <Checkbox
          label={t('moderation.keysOn')}
          checked={settings.hasShortcuts}
          onChange={({ target }) => change({ hasShortcuts: target.checked })}
        />
      </Dialog>
    </>
  );
}

/** Checks whether a key that is pressed in this element is a part of a text or chooses an option. */
function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== 'radio' && target.type !== 'checkbox';
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
