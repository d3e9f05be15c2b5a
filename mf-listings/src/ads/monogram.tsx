import { classNames } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './monogram.module.css';

interface MonogramProps {
  /** The name of the ad's owner. */
  readonly name: string;
  readonly className?: string | undefined;
}

/** Replaces the photos of an ad that has none: the first letter of the owner's name and a note. */
export function Monogram({ name, className }: MonogramProps) {
  const t = useText();
  return (
    <span className={classNames(styles['frame'], className)}>
      <span aria-hidden="true" className={styles['letter']}>
        {firstLetter(name)}
      </span>
      <span className={styles['note']}>{t('noPhotosYet')}</span>
    </span>
  );
}

/** Returns the first letter or digit of a name in upper case, or its first character if the name has neither. */
function firstLetter(name: string): string {
  const [first = ''] = name.trim().match(/[\p{L}\p{N}]/u) ?? Array.from(name.trim());
  return first.toUpperCase();
}
