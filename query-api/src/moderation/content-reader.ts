import {
  account,
  AD_CHOICES,
  AD_TEXTS,
  toAccountSnapshot,
  accountHistoryReducer,
  toAdSnapshot,
  createAdHistoryReducer,
  article,
  isContinued,
  isEventOfAd,
  listing,
  media,
  photoUrl,
  findSubjectPost,
  toPostSnapshots,
  SOCIAL_NETWORKS,
  toCaseId,
  toStreamId,
  thread,
  threadHistoryReducer,
  toDomainEvent,
  videoUrl,
  type Ad,
  type AdChoice,
  type AdSnapshot,
  type AdText,
  type Aggregate,
  type ContentView,
  type DomainEvent,
  type EventStore,
  type ListingEvent,
  type RecordedDomainEvent,
  type StreamId,
  type Subject,
} from '@alpenglow/domain';
import { renderMarkdown } from '@alpenglow/infra';

const PAGE_SIZE = 1_000;
type Content = Omit<ContentView, 'revision' | 'at'>;
const EMPTY_CONTENT: Content = {
  isGone: false,
  title: null,
  html: null,
  fields: [],
  category: null,
  photos: [],
  video: null,
  reviews: [],
  adId: null,
};
const MISSING_CONTENT: ContentView = { revision: 0, at: null, ...EMPTY_CONTENT, isGone: true };

/**
 * Returns the reported content, e.g. an ad or a post, after the event with the revision `upTo`. Returns the current
 * content if `upTo` is null. If the reported ad is gone and its case hides a later ad of the owner, or a later ad
 * continues it, this is the later ad, because the decision also applies to it. The content is computed from events, so
 * that moderators read exactly the version that the moderation case is about. The content is empty if the personal data
 * of its owner was erased.
 */
export async function readContent(
  store: Pick<EventStore, 'readStream'>,
  subject: Subject,
  ownerId: string | null,
  upTo: number | null,
): Promise<ContentView> {
  const source = findSource(subject, ownerId, upTo);
  if (!source) return MISSING_CONTENT;
  const { stream, fold } = source;
  let last: { readonly revision: number; readonly at: string } | null = null;
  for (let from = 0; ; from += PAGE_SIZE) {
    const page = await store.readStream(stream, { from, limit: PAGE_SIZE });
    const included = upTo === null ? page : page.filter(({ revision }) => revision <= upTo);
    for (const recorded of included) {
      const event = toDomainEvent(recorded);
      if (event && fold.apply(event)) last = { revision: event.revision, at: event.meta.at };
    }
    if (included.length < PAGE_SIZE) break;
  }
  const content = last && fold.content();
  return content && last ? { ...last, ...content } : MISSING_CONTENT;
}

/** Computes the reported content, e.g. an ad or a post, from the events of a stream. */
interface ContentFold {
  /** Applies an event. Returns true if the event belongs to the reported content. */
  apply(event: RecordedDomainEvent): boolean;
  /** Returns the content, or null if the content never existed. */
  content(): Content | null;
}

function findSource(
  subject: Subject,
  ownerId: string | null,
  upTo: number | null,
): { readonly stream: StreamId; readonly fold: ContentFold } | null {
  const post = findSubjectPost(subject);
  if (post) return { stream: toStreamId(thread, post.threadId), fold: createPostFold(post.number) };
  switch (subject.kind) {
    case 'ad':
      return ownerId === null
        ? null
        : {
            stream: toStreamId(listing, ownerId),
            fold: createSlotFold(subject.id, upTo === null),
          };
    case 'account':
      return { stream: toStreamId(account, subject.id), fold: createFold(accountHistoryReducer, accountContent) };
    case 'media':
      return { stream: toStreamId(media, subject.id), fold: createFold(aggregateFold(media), mediaContent) };
    case 'article':
      return { stream: toStreamId(article, subject.id), fold: createFold(aggregateFold(article), articleContent) };
    default:
      return null;
  }
}

function createFold<State>(
  {
    initial,
    evolve,
  }: { readonly initial: State; readonly evolve: (state: State, event: RecordedDomainEvent) => State },
  createContent: (state: State) => Content | null,
  isAbout: (event: RecordedDomainEvent) => boolean = () => true,
): ContentFold {
  let state = initial;
  return {
    apply(event) {
      state = evolve(state, event);
      return isAbout(event);
    },
    content: () => createContent(state),
  };
}

function createAdFold(adId: string): ContentFold {
  return createFold(
    createAdHistoryReducer(adId),
    (history) => adContent(toAdSnapshot(history)),
    (event) => isEventOfAd(event, adId),
  );
}

/**
 * Computes the ad with all reviews that its page shows, also those of earlier ads. If the current version is needed and
 * the ad is deleted, computes the current ad of its owner if the moderation case hides it, or if it continues the
 * deleted ad.
 */
function createSlotFold(adId: string, isCurrent: boolean): ContentFold {
  const caseId = toCaseId({ kind: 'ad', id: adId });
  const reported = createAdFold(adId);
  let slot = listing.initial;
  let later: ContentFold | null = null;
  const isLaterJudged = () =>
    isCurrent &&
    slot.ad !== null &&
    slot.ad.adId !== adId &&
    (slot.ad.holdingCaseIds.includes(caseId) || isContinued(adId, slot.ad));
  return {
    apply(event) {
      const listed = event as RecordedDomainEvent<ListingEvent>;
      slot = listing.evolve(slot, listed, listed.meta.at);
      if (reported.apply(event)) return true;
      if (listed.type === 'AdPosted') later = createAdFold(listed.data.adId);
      later?.apply(event);
      return isLaterJudged();
    },
    content() {
      const isLater = isLaterJudged();
      const content = (isLater ? later : reported)?.content() ?? null;
      const ad = isLater || slot.ad?.adId === adId ? slot.ad : null;
      return content && ad ? { ...content, adId: ad.adId, reviews: shownReviews(ad) } : content;
    },
  };
}

const shownReviews = ({ reviews }: Ad): Content['reviews'] =>
  reviews
    .filter(({ status }) => status === 'visible')
    .map(({ reviewId: id, name, comment, rating }) => ({ id, name, comment, rating }));

function aggregateFold<State, Event extends DomainEvent>(aggregate: Aggregate<State, Event>) {
  return {
    initial: aggregate.initial,
    evolve: (state: State, event: RecordedDomainEvent) =>
      aggregate.evolve(state, event as unknown as Event, event.meta.at),
  };
}

/** The fields of an ad that moderators read first in the list of its fields. */
const FIRST_FIELDS = ['name', 'city', 'state', 'price'] as const satisfies readonly (keyof AdSnapshot)[];
const LISTED_FIELDS = [...new Set<AdChoice | AdText>([...FIRST_FIELDS, ...AD_CHOICES, ...AD_TEXTS])].filter(
  // Moderators read these two separately.
  (field) => field !== 'title' && field !== 'category',
);

/** Returns the content of an ad for moderators. */
function adContent(ad: AdSnapshot | null): Content | null {
  if (!ad) return null;
  const { title, category, socialMedia, photos, video, status, reviews } = ad;
  const fields = LISTED_FIELDS.map((name) => ({ name, value: ad[name] }));
  const networks = SOCIAL_NETWORKS.flatMap((network) =>
    socialMedia?.[network] ? [{ name: network, value: socialMedia[network] }] : [],
  );
  return {
    ...EMPTY_CONTENT,
    isGone: status === 'deleted',
    title,
    category,
    fields: [...fields, ...networks],
    photos: photos.map(photoUrl),
    video: video === null ? null : videoUrl(video),
    reviews: reviews.map(({ id, name, comment, rating }) => ({ id, name, comment, rating })),
  };
}

function accountContent(state: Parameters<typeof toAccountSnapshot>[0]): Content | null {
  const found = toAccountSnapshot(state);
  return (
    found && {
      ...EMPTY_CONTENT,
      isGone: found.status === 'closed',
      title: found.displayName,
      fields: [{ name: 'userType', value: found.userType }],
    }
  );
}

function mediaContent(state: typeof media.initial): Content | null {
  if (!state) return null;
  const isGone = state.status === 'removed';
  return state.kind === 'photo'
    ? { ...EMPTY_CONTENT, isGone, photos: [photoUrl(state.mediaId)] }
    : { ...EMPTY_CONTENT, isGone, video: videoUrl(state.mediaId) };
}

function articleContent(state: typeof article.initial): Content | null {
  if (!state) return null;
  return {
    ...EMPTY_CONTENT,
    isGone: state.status === 'withdrawn',
    title: state.title,
    html: renderMarkdown(state.body, 'article').html,
    fields: [{ name: 'summary', value: state.summary }],
  };
}

function createPostFold(number: number): ContentFold {
  let state = threadHistoryReducer.initial;
  return {
    apply(event) {
      state = threadHistoryReducer.evolve(state, event);
      return 'number' in event.data ? event.data.number === number : number === 0;
    },
    content() {
      const [post] = toPostSnapshots(state, number, 1);
      if (!post) return null;
      return {
        ...EMPTY_CONTENT,
        isGone: post.status === 'deleted',
        title: number === 0 ? (state.thread?.title ?? null) : null,
        html: renderMarkdown(post.body, 'post').html,
      };
    },
  };
}
