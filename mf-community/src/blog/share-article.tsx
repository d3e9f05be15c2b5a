import { articlePath, type ArticleCard } from '@alpenglow/domain/contracts';
import { Button, ShareIcon, useShare } from '@alpenglow/ui';
import { useText } from '../text.ts';

/** A button that opens the share dialog of the device. Without such a dialog, it copies the URL of the article. */
export function ShareArticle({ article: { slug, title } }: { readonly article: Pick<ArticleCard, 'slug' | 'title'> }) {
  const t = useText();
  const share = useShare({
    copied: t('community.linkCopied'),
    toCopy: (address) => t('community.linkToCopy', { address }),
  });
  return (
    <Button variant="quiet" size="small" onClick={() => void share(articlePath(slug), title)}>
      <ShareIcon />
      {t('blog.share')}
    </Button>
  );
}
