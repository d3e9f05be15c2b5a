import type { AdChanges, NewAdFields } from './fields.ts';

/** Who asks, as the server knows them. */
export interface Poster {
  readonly accountId: string;
  readonly isProvider: boolean;
  readonly emailVerified: boolean;
}

export interface PostAd {
  readonly poster: Poster;
  /** The id the client made up: the same id again answers the same ad. */
  readonly clientId: string | null;
  readonly fields: Omit<NewAdFields, 'photos'>;
  /** Media ids already known to be the poster's, or the demo fallback pictures; the cover first. */
  readonly photos: readonly string[];
  readonly isDemo: boolean;
}

export interface UpdateAd {
  readonly poster: Poster;
  readonly adId: string;
  readonly changes: Omit<AdChanges, 'photos'>;
  readonly photos: readonly string[] | null;
}

export interface BumpAd {
  readonly poster: Poster;
  readonly adId: string;
}

export interface DeleteAd {
  readonly poster: Poster;
  readonly adId: string;
}

export interface ReviewAd {
  readonly adId: string;
  readonly reviewerId: string | null;
  readonly reviewId: string;
  readonly name: string;
  readonly comment: string;
  readonly rating: number;
}
