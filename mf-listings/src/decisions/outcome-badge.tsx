import type { Outcome } from '@alpenglow/domain/contracts';
import { Badge, type BadgeProps } from '@alpenglow/ui';
import { useText } from './text.ts';

const TONES: Readonly<Record<Outcome, NonNullable<BadgeProps['tone']>>> = {
  kept: 'success',
  hidden: 'danger',
  removed: 'danger',
  account_closed: 'danger',
};

export function OutcomeBadge({ outcome }: { readonly outcome: Outcome }) {
  const t = useText();
  return <Badge tone={TONES[outcome]}>{t(`decisions.outcome.${outcome}`)}</Badge>;
}
