import { useEffect, useEffectEvent, useRef, type RefObject } from 'react';
import { useLocation, useNavigationType } from 'react-router-dom';
import { anchorOf, postInAddress } from './where.ts';
import { isShown, useThread, type ShownThread } from './use-thread.ts';
import { lastNumberOf } from './thread-window.ts';

/** A thread as somebody reads it: the part that is shown, and where in it they are. */
export interface Reading {
  readonly shown: ShownThread;
  /** Stands behind the last reply. */
  readonly endRef: RefObject<HTMLDivElement | null>;
  /** Brings a post that is shown into view and gives it the focus. */
  readonly showPost: (number: number) => void;
}

/** A post that is not there by then, about a second, does not come. */
const FRAMES_MAX = 60;

/** Leads to the post an address means, loading its page of the thread where that is not shown. */
export function useReading(named: string): Reading {
  const location = useLocation();
  const navigationType: string = useNavigationType();
  const endRef = useRef<HTMLDivElement>(null);
  const target = postInAddress(location);
  const isReaderAtEnd = () => {
    const end = endRef.current;
    // Nothing moves under somebody who is writing.
    return (
      end !== null &&
      end.getBoundingClientRect().top < globalThis.innerHeight &&
      document.activeElement?.closest('form') == null
    );
  };
  const shown = useThread(named, target, isReaderAtEnd);
  const { window, jump } = shown;

  const showPost = (number: number) => {
    // What has just come is on the page some frames later.
    let frames = 0;
    const look = () => {
      const post = document.getElementById(anchorOf(number));
      if (!post && (frames += 1) < FRAMES_MAX) return void requestAnimationFrame(look);
      post?.scrollIntoView({ block: 'start' });
      post?.focus({ preventScroll: true });
    };
    requestAnimationFrame(look);
  };

  const arrivedAt = useRef<string | null>(null);
  const isFirst = useRef(true);
  const arrive = useEffectEvent(async () => {
    if (!window || arrivedAt.current === location.key) return;
    arrivedAt.current = location.key;
    const isArrival = isFirst.current;
    isFirst.current = false;
    // Back within the site leads to where one was, the browser sees to that.
    if (isArrival && navigationType === 'POP' && location.key !== 'default') return;
    if (!isShown(window, target) && !(await jump(target))) return;
    if (target === 'last') showPost(lastNumberOf(shown.latest() ?? window));
    else if (target !== null) showPost(target);
    else if (location.hash === `#${anchorOf(0)}`) showPost(0);
  });
  const isLoaded = window !== undefined;
  useEffect(() => void arrive(), [isLoaded, location.key]);

  return { shown, endRef, showPost };
}
