import type { ArticleCard } from '@alpenglow/domain/contracts';
import { classNames, Picture, Ridge } from '@alpenglow/ui';
import styles from './cover.module.css';

export interface CoverProps {
  readonly article: Pick<ArticleCard, 'slug' | 'cover'>;
  /** As those of `Picture`. */
  readonly sizes: string;
  readonly ratio?: string;
  readonly priority?: boolean;
  readonly className?: string | undefined;
}

const LIGHTS = ['dawn', 'day', 'dusk', 'night'] as const;

/** An article's picture. The title beside it says what it is about, so it is hidden from screen readers. One without has the glow, in a light of its own. */
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

/** The same for an article wherever it stands. */
function lightOf(slug: string): (typeof LIGHTS)[number] {
  const sum = [...slug].reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7);
  return LIGHTS[sum % LIGHTS.length] ?? 'dawn';
}
