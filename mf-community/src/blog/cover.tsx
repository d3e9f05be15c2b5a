import type { ArticleCard } from '@alpenglow/domain/contracts';
import { classNames, Picture, Ridge } from '@alpenglow/ui';
import styles from './cover.module.css';

export interface CoverProps {
  readonly article: Pick<ArticleCard, 'slug' | 'cover'>;
  readonly sizes: string;
  readonly ratio?: string;
  readonly priority?: boolean;
  readonly className?: string | undefined;
}

const LIGHTS = ['dawn', 'day', 'dusk', 'night'] as const;

/**
 * Shows the picture of an article. Without a picture, it shows a drawing of a mountain whose lighting depends on the
 * slug. Screen readers ignore the picture, because the title of the article follows.
 */
export function Cover({ article: { slug, cover }, sizes, ratio = '16 / 9', priority = false, className }: CoverProps) {
  if (cover !== null)
    return (
      <Picture
        photo={cover}
        alt=""
        sizes={sizes}
        ratio={ratio}
        priority={priority}
        className={classNames(styles['cover'], className)}
      />
    );
  return (
    <span
      aria-hidden="true"
      className={classNames(styles['cover'], styles['glow'], styles[lightOf(slug)], className)}
      style={{ aspectRatio: ratio }}
    >
      <Ridge className={styles['ridge']} />
    </span>
  );
}

/** Returns the lighting of the drawing. It depends only on the slug, so it is the same on every page. */
function lightOf(slug: string): (typeof LIGHTS)[number] {
  const sum = [...slug].reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7);
  return LIGHTS[sum % LIGHTS.length] ?? 'dawn';
}
