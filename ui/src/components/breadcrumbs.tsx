import { Link } from 'react-router-dom';
import { useUiText } from '../i18n/text.tsx';
import { ChevronRightIcon } from '../icons/icons.tsx';
import styles from './breadcrumbs.module.css';

export interface Breadcrumb {
  readonly label: string;
  /** Absent for the page itself. */
  readonly to?: string;
}

/** The way from home to this page, the page itself last. */
export function Breadcrumbs({ items }: { readonly items: readonly Breadcrumb[] }) {
  const t = useUiText();
  return (
    <nav aria-label={t('ui.breadcrumbs')} className={styles['breadcrumbs']}>
      <ol role="list">
        {items.map(({ label, to }, index) => (
          <li key={`${index}-${label}`}>
            {to === undefined ? <span aria-current="page">{label}</span> : <Link to={to}>{label}</Link>}
            {index < items.length - 1 && <ChevronRightIcon size={0.9} />}
          </li>
        ))}
      </ol>
    </nav>
  );
}
