import type { ThreadCard } from '@alpenglow/domain/contracts';
import { useText } from '../text.ts';

/** The name of an author. Former members have a generic text instead of a name. */
export function AuthorName({
  author,
  className,
}: {
  readonly author: ThreadCard['author'];
  readonly className?: string | undefined;
}) {
  const t = useText();
  return <bdi className={className}>{author.name ?? t('community.formerMember')}</bdi>;
}
