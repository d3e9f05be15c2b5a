import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useUiText } from '../i18n/text.tsx';
import { ChevronRightIcon } from '../icons/icons.tsx';
import styles from './breadcrumbs.module.css';

export interface Breadcrumb {
  readonly label: ReactNode;
  /** Path of the page. The current page has no path. */
  readonly to?: string;
}

interface BreadcrumbsProps {
  readonly items: readonly Breadcrumb[];
  readonly fromHome?: boolean;
}

/** A breadcrumb navigation. Its last item is the current page. */
export function Breadcrumbs({ items, fromHome = false }: BreadcrumbsProps) {
  const t = useUiText();
  const all = fromHome ? [{ label: t('common.home'), to: '/' }, ...items] : items;
  return (
    <nav aria-label={t('ui.breadcrumbs')} className={styles['breadcrumbs']}>
      <ol role="list">
        {all.map(({ label, to }, index) => (
          <li key={index}>
            {to === undefined ? <span aria-current="page">{label}</span> : <Link to={to}>{label}</Link>}
            {index < all.length - 1 && <ChevronRightIcon size={0.9} />}
          </li>
        ))}
      </ol>
    </nav>
  );
}
