import type { ArticleStatus } from '@alpenglow/domain/contracts';
import { Badge, type BadgeProps } from '@alpenglow/ui';
import { useText } from '../text.ts';

const TONES: Readonly<Record<ArticleStatus, NonNullable<BadgeProps['tone']>>> = {
  draft: 'neutral',
  scheduled: 'accent',
  published: 'success',
  withdrawn: 'danger',
};

export function StatusBadge({ status }: { readonly status: ArticleStatus }) {
  const t = useText();
  return <Badge tone={TONES[status]}>{t(`blog.status.${status}`)}</Badge>;
}
