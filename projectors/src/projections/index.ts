import type { Projection } from '../projection.ts';
import { accounts } from './accounts.ts';
import { adCards } from './ad-cards.ts';
import { adDetails } from './ad-details.ts';
import { adLinks } from './ad-links.ts';
import { adOwners } from './ad-owners.ts';
import { adStandings } from './ad-standings.ts';
import { articles } from './articles.ts';
import { communityPosts } from './community-posts.ts';
import { communityThreads } from './community-threads.ts';
import { erasures } from './erasures.ts';
import { dailyCounts } from './daily-counts.ts';
import { decisions } from './decisions.ts';
import { favorites } from './favorites.ts';
import { helpfulMarks } from './helpful-marks.ts';
import { hidingRules } from './hiding-rules.ts';
import { identityChecks } from './identity-checks.ts';
import { identityPictures } from './identity-pictures.ts';
import { mediaItems } from './media-items.ts';
import { moderationCases } from './moderation-cases.ts';
import { removalRequests } from './removal-requests.ts';
import { reports } from './reports.ts';
import { takenDownPictures } from './taken-down-pictures.ts';
import { threadFollows } from './thread-follows.ts';
import { transparencyDays } from './transparency-days.ts';
import { verificationCodes } from './verification-codes.ts';

/** All projections of the product. A projection derives a read model from events. */
export const PROJECTIONS: readonly Projection[] = [
  adCards,
  adDetails,
  adOwners,
  adStandings,
  transparencyDays,
  accounts,
  mediaItems,
  erasures,
  favorites,
  verificationCodes,
  dailyCounts,
  communityThreads,
  communityPosts,
  threadFollows,
  helpfulMarks,
  articles,
  adLinks,
  moderationCases,
  decisions,
  reports,
  removalRequests,
  hidingRules,
  identityChecks,
  takenDownPictures,
  identityPictures,
] as unknown as readonly Projection[];
