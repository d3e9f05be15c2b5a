import type { ReactNode } from 'react';
import { Menu } from '@alpenglow/ui';
import { Thumbnail } from './thumbnail.tsx';
import styles from './list.module.css';

/** Shows the number of items in a list. Screen readers announce each change of the number. */
export function Count({ children }: { readonly children: ReactNode }) {
  return (
    <p className={styles['count']} role="status">
      {children}
    </p>
  );
}

export interface PictureCellProps {
  /** URL of the picture. Undefined if there is none. */
  readonly picture: string | undefined;
  readonly isBlurred: boolean;
  readonly children: ReactNode;
}

/** A table cell with a small picture and a name next to it. */
export function PictureCell({ picture, isBlurred, children }: PictureCellProps) {
  return (
    <div className={styles['pictureCell']}>
      {picture === undefined ? (
        <span className={styles['noPicture']} />
      ) : (
        <Thumbnail url={picture} isBlurred={isBlurred} />
      )}
      {children}
    </div>
  );
}

/** Badges in a cell of a table. */
export function Badges({ children }: { readonly children: ReactNode }) {
  return <span className={styles['badges']}>{children}</span>;
}

/** A menu in a cell of a table with the actions on the row. `name` names the menu for screen readers. */
export function RowActions({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Menu label={<span aria-hidden="true">···</span>} name={name}>
      {children}
    </Menu>
  );
}
