import type { Outcome, StatementView } from '@alpenglow/domain/contracts';
import { Badge, type BadgeProps } from '@alpenglow/ui';
import { useText } from './text.ts';

const TONES: Readonly<Record<Outcome, NonNullable<BadgeProps['tone']>>> = {
  kept: 'success',
  warned: 'accent',
  change_requested: 'accent',
  photo_removed: 'danger',
  hidden: 'danger',
  removed: 'danger',
  account_closed: 'danger',
};

/** Returns a function that names the content of a decision: `Photo 2`, `Thread`. */
export function useFormatSubject(): (statement: Pick<StatementView, 'subject' | 'file'>) => string {
  const t = useText();
  return ({ subject, file }) => {
    if (file === null) return t(`decisions.kind.${subject.kind}`);
    return file.number === null
      ? t(`decisions.file.${file.kind}`)
      : t('decisions.file.numbered', { number: file.number });
  };
}

export function OutcomeBadge({ outcome }: { readonly outcome: Outcome }) {
  const t = useText();
  return <Badge tone={TONES[outcome]}>{t(`decisions.outcome.${outcome}`)}</Badge>;
}
