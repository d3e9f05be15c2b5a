import { ErrorBox, messageOf } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { MoreButton, type MoreButtonProps } from './more-button.tsx';

export interface MoreProps {
  readonly list: MoreButtonProps['list'] & { readonly isFetchNextPageError: boolean; readonly error: unknown };
}

/** What stands below a list that goes on. */
export function More({ list }: MoreProps) {
  const t = useText();
  if (list.isFetchNextPageError)
    return <ErrorBox message={messageOf(list.error, t('list.failed'))} onRetry={() => void list.fetchNextPage()} />;
  return <MoreButton list={list}>{t('list.more')}</MoreButton>;
}
