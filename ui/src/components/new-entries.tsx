import type { ReactNode } from 'react';
import { ArrowUpIcon } from '../icons/icons.tsx';
import { Button } from './button.tsx';
import layout from './layout.module.css';

export interface NewEntriesProps {
  /** The number of new entries that the list does not show yet. */
  readonly count: number;
  /** The text of the button, for example `2 new cases`. */
  readonly children: ReactNode;
  readonly onShow: () => void;
  readonly className?: string | undefined;
}

/** A place above a list with a button that shows new entries. Screen readers announce the button when it appears. */
export function NewEntries({ count, children, onShow, className = layout['aboveList'] }: NewEntriesProps) {
  return (
    <div className={className} role="status">
      {count > 0 && (
        <Button variant="primary" size="small" onClick={onShow}>
          <ArrowUpIcon />
          {children}
        </Button>
      )}
    </div>
  );
}
