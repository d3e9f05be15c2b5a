import { useEffect, useEffectEvent, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router-dom';
import { getPostAnchor, parsePostUrl } from './post-url.ts';
import { isTargetLoaded, useThread } from './use-thread.ts';
import { getLastNumber } from './thread-window.ts';

export type ThreadReading = ReturnType<typeof useThreadReading>;

/** Maximum number of frames to wait until a post is rendered. They take about one second. */
const FRAMES_MAX = 60;

/** Loads the part of the thread that contains the post in the URL, and scrolls to this post. */
export function useThreadReading(idOrSlug: string) {
  const location = useLocation();
  const navigationType: string = useNavigationType();
  /** Reference to the element after the last reply. Its position shows whether the reader is at the end. */
  const endRef = useRef<HTMLDivElement>(null);
  const target = parsePostUrl(location);
  const isReaderAtEnd = () => {
    const end = endRef.current;
    // New replies are not shown automatically while the visitor writes in a form, because they move the page.
    return (
      end !== null &&
      end.getBoundingClientRect().top < globalThis.innerHeight &&
      document.activeElement?.closest('form') == null
    );
  };
  const shown = useThread(idOrSlug, target, isReaderAtEnd);
  const { window, jump } = shown;

  /** Scrolls to a loaded post and moves the focus to it. */
  const showPost = (number: number) => {
    // A new post is rendered some frames after the response, so each frame checks whether it exists.
    let frames = 0;
    const scrollWhenRendered = () => {
      const post = document.getElementById(getPostAnchor(number));
      if (!post && (frames += 1) < FRAMES_MAX) return void requestAnimationFrame(scrollWhenRendered);
      post?.scrollIntoView({ block: 'start' });
      post?.focus({ preventScroll: true });
    };
    requestAnimationFrame(scrollWhenRendered);
  };

  const handledLocation = useRef<string | null>(null);
  const isFirst = useRef(true);
  const onLocation = useEffectEvent(async () => {
    if (!window || handledLocation.current === location.key) return;
    handledLocation.current = location.key;
    const isFirstLocation = isFirst.current;
    isFirst.current = false;
    // After the Back button, the browser restores the scroll position, so the page must not scroll to a post.
    if (isFirstLocation && navigationType === 'POP' && location.key !== 'default') return;
    if (!isTargetLoaded(window, target) && !(await jump(target))) return;
    if (target === 'last') showPost(getLastNumber(shown.latest() ?? window));
    else if (target !== null) showPost(target);
    else if (location.hash === `#${getPostAnchor(0)}`) showPost(0);
  });
  const isLoaded = window !== undefined;
  useEffect(() => void onLocation(), [isLoaded, location.key]);

  return { shown, endRef, showPost };
}
