import { classNames } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { NEUTRAL_SITE } from './neutral-site.ts';
import styles from './quick-exit.module.css';

/** The link with which visitors leave the site at once. Without scripts, it only opens the neutral site. */
export function QuickExit({ className }: { readonly className?: string | undefined }) {
  const t = useText();
  return (
    <a
      href={NEUTRAL_SITE}
      rel="noreferrer"
      title={t('quickExitHint')}
      className={classNames(styles['exit'], className)}
      data-leave-site=""
    >
      {t('quickExit')}
    </a>
  );
}
