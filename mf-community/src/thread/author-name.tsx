import type { ThreadCard } from '@alpenglow/domain/contracts';
import { useText } from '../text.ts';

/** What an author is called; somebody who is no member any more has no name. */
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
