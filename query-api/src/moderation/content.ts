import {
  accountAsOf,
  accountTelling,
  adAsOf,
  adTelling,
  article,
  isOfAd,
  media,
  photoUrl,
  postOfSubject,
  postsAsOf,
  SOCIAL_NETWORKS,
  streamOf,
  threadTelling,
  toDomainEvent,
  videoUrl,
  type AdAsOf,
  type Aggregate,
  type ContentView,
  type DomainEvent,
  type EventStore,
  type Recorded,
  type Subject,
} from '@alpenglow/domain';
import { renderMarkdown } from '@alpenglow/infra';

const PAGE = 1_000;
const NOTHING: ContentView = {
  revision: 0,
  at: null,
  isGone: true,
  title: null,
  html: null,
  fields: [],
  category: null,
  photos: [],
  video: null,
};

type Said = Omit<ContentView, 'revision' | 'at'>;
const BLANK: Said = { isGone: false, title: null, html: null, fields: [], category: null, photos: [], video: null };

/**
 * A subject as it stood after the event of a revision of its stream, or as it is now where that is null: told from its events, so that it is the
 * version that was judged, whatever became of it since. Of people who are erased, nothing but blanks.
 */
export async function contentOf(
  store: Pick<EventStore, 'readStream'>,
  subject: Subject,
  ownerId: string | null,
  upTo: number | null,
): Promise<ContentView> {
  const told = tellerOf(subject, ownerId);
  if (!told) return NOTHING;
  const { stream, tell } = told;
  let last: { readonly revision: number; readonly at: string } | null = null;
  for (let from = 0; ; from += PAGE) {
    const page = await store.readStream(stream, { from, limit: PAGE });
    const wanted = upTo === null ? page : page.filter(({ revision }) => revision <= upTo);
    for (const recorded of wanted) {
      const event = toDomainEvent(recorded);
      if (event && tell.take(event)) last = { revision: event.revision, at: event.meta.at };
    }
    if (wanted.length < PAGE) break;
  }
  const said = last && tell.said();
  return said && last ? { ...last, ...said } : NOTHING;
}

/** Takes the events of a stream in and says what they come to. */
interface Teller {
  /** Whether the event was about it. */
  take(event: Recorded): boolean;
  /** Null where there never was such a thing. */
  said(): Said | null;
}

function tellerOf(subject: Subject, ownerId: string | null): { readonly stream: string; readonly tell: Teller } | null {
  const post = postOfSubject(subject);
  if (post) return { stream: `thread-${post.threadId}`, tell: postTeller(post.number) };
  switch (subject.kind) {
    case 'ad':
      return ownerId === null
        ? null
        : {
            stream: `listing-${ownerId}`,
            tell: folding(
              adTelling,
              (told) => saidOfAd(adAsOf(told)),
              (event) => isOfAd(event, subject.id),
            ),
          };
    case 'account':
      return { stream: `account-${subject.id}`, tell: folding(accountTelling, saidOfAccount) };
    case 'media':
      return { stream: streamOf(media, subject.id), tell: folding(telling(media), saidOfMedia) };
    case 'article':
      return { stream: streamOf(article, subject.id), tell: folding(telling(article), saidOfArticle) };
    default:
      return null;
  }
}

function folding<State>(
  { initial, evolve }: { readonly initial: State; readonly evolve: (state: State, event: Recorded) => State },
  saidOf: (state: State) => Said | null,
  isAbout: (event: Recorded) => boolean = () => true,
): Teller {
  let state = initial;
  return {
    take(event) {
      if (!isAbout(event)) return false;
      state = evolve(state, event);
      return true;
    },
    said: () => saidOf(state),
  };
}

function telling<State, Event extends DomainEvent>(aggregate: Aggregate<State, Event>) {
  return {
    initial: aggregate.initial,
    evolve: (state: State, event: Recorded) => aggregate.evolve(state, event as unknown as Event, event.meta.at),
  };
}

function saidOfAd(ad: AdAsOf | null): Said | null {
  if (!ad) return null;
  const { title, name, category, state, city, price, description, body, phone, socialMedia, photos, video, status } =
    ad;
  const fields = Object.entries({ name, city, state, price, description, body, phone }).map(([field, value]) => ({
    name: field,
    value,
  }));
  const networks = SOCIAL_NETWORKS.flatMap((network) =>
    socialMedia?.[network] ? [{ name: network, value: socialMedia[network] }] : [],
  );
  return {
    ...BLANK,
    isGone: status === 'deleted',
    title,
    category,
    fields: [...fields, ...networks],
    photos: photos.map(photoUrl),
    video: video === null ? null : videoUrl(video),
  };
}

function saidOfAccount(told: Parameters<typeof accountAsOf>[0]): Said | null {
  const found = accountAsOf(told);
  return (
    found && {
      ...BLANK,
      isGone: found.status === 'closed',
      title: found.displayName,
      fields: [{ name: 'userType', value: found.userType }],
    }
  );
}

function saidOfMedia(state: typeof media.initial): Said | null {
  if (!state) return null;
  const isGone = state.status === 'removed';
  return state.kind === 'photo'
    ? { ...BLANK, isGone, photos: [photoUrl(state.mediaId)] }
    : { ...BLANK, isGone, video: videoUrl(state.mediaId) };
}

function saidOfArticle(state: typeof article.initial): Said | null {
  if (!state) return null;
  return {
    ...BLANK,
    isGone: state.status === 'withdrawn',
    title: state.title,
    html: renderMarkdown(state.body, 'article').html,
    fields: [{ name: 'summary', value: state.summary }],
  };
}

function postTeller(number: number): Teller {
  let told = threadTelling.initial;
  return {
    take(event) {
      told = threadTelling.evolve(told, event);
      return 'number' in event.data ? event.data.number === number : number === 0;
    },
    said() {
      const [post] = postsAsOf(told, number, 1);
      if (!post) return null;
      return {
        ...BLANK,
        isGone: post.status === 'deleted',
        title: number === 0 ? (told.thread?.title ?? null) : null,
        html: renderMarkdown(post.body, 'post').html,
      };
    },
  };
}
