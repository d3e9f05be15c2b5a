import type { AdChanges, NewAdFields } from './fields.ts';

/** Who asks, as the server knows them. */
export interface Poster {
  readonly accountId: string;
  readonly isProvider: boolean;
  /** By the mailed code, or by an admin who vouches for the account. */
  readonly emailVerified: boolean;
}

export interface PostAd {
  readonly poster: Poster;
  /** The id the client made up: the same id again answers the same ad. */
  readonly clientId: string | null;
  readonly fields: Omit<NewAdFields, 'photos' | 'video'>;
  /** Media ids already known to be the poster's, or the demo fallback pictures; the cover first. */
  readonly photos: readonly string[];
  /** A media id already known to be the poster's. */
  readonly video: string | null;
  readonly isDemo: boolean;
}

export interface UpdateAd {
  readonly poster: Poster;
  readonly adId: string;
  readonly changes: Omit<AdChanges, 'photos' | 'video'>;
  /** Media ids as in `PostAd`; undefined leaves what is there. */
  readonly photos: readonly string[] | undefined;
  readonly video: string | null | undefined;
}

export interface BumpAd {
  readonly poster: Poster;
  readonly adId: string;
}

export interface DeleteAd {
  readonly poster: Poster;
  readonly adId: string;
}

/** Who reviews, as the server knows them. */
export interface Reviewer {
  readonly accountId: string;
  readonly isProvider: boolean;
  readonly emailVerified: boolean;
}

export interface ReviewAd {
  readonly adId: string;
  /** Null for the reviews of demo ads, which are nobody's words. */
  readonly reviewer: Reviewer | null;
  readonly reviewId: string;
  readonly name: string;
  readonly comment: string;
  readonly rating: number;
}

export interface FeatureAd {
  readonly adId: string;
  readonly isFeatured: boolean;
}

export interface HideAd {
  /** Null means the one the account has up. */
  readonly adId: string | null;
  readonly by: 'report' | 'moderator' | 'rule';
  readonly caseId: string;
}
