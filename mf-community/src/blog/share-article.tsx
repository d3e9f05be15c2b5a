import { articlePath, type ArticleCard } from '@alpenglow/domain/contracts';
import { Button, ShareIcon, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';

/** Hands an article's address on: through the device's own sheet where there is one, else into the clipboard. */
export function ShareArticle({ article: { slug, title } }: { readonly article: Pick<ArticleCard, 'slug' | 'title'> }) {
  const t = useText();
  const { notify } = useHost();

  const copy = async (address: string) => {
    try {
      await navigator.clipboard.writeText(address);
      notify({ text: t('blog.linkCopied'), tone: 'success' });
    } catch {
      notify({ text: t('blog.linkToCopy', { address }) });
    }
  };
  const share = async () => {
    const address = new URL(articlePath(slug), location.origin).href;
    // Absent on many desktops, whatever the types say.
    if (typeof navigator.share !== 'function') return copy(address);
    try {
      await navigator.share({ title, url: address });
    } catch (error) {
      // The visitor closed the sheet; anything else is no reason to leave them without the link.
      if (!(error instanceof DOMException && error.name === 'AbortError')) await copy(address);
    }
  };

  return (
    <Button variant="quiet" size="small" onClick={() => void share()}>
      <ShareIcon />
      {t('blog.share')}
    </Button>
  );
}
