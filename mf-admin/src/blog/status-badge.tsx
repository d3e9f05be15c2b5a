import { Badge, type BadgeProps } from '@alpenglow/ui';
import { useText } from '../text.ts';
import type { Status } from './calls.ts';

const TONES: Readonly<Record<Status, NonNullable<BadgeProps['tone']>>> = {
  draft: 'neutral',
  scheduled: 'accent',
  published: 'success',
  withdrawn: 'danger',
};

export function StatusBadge({ status }: { readonly status: Status }) {
  const t = useText();
  return <Badge tone={TONES[status]}>{t(`blog.status.${status}`)}</Badge>;
}
