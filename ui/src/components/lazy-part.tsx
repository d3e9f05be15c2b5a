import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';
import { awaitBeforeHydration, isInHtml, isServerRendering, reportLazyPage } from '../host/rendering.ts';

/**
 * Creates a component whose code is loaded when the component is first shown.
 * @param loading what is shown meanwhile. It may depend on the properties of the component.
 * @param chunk the name of the chunk that `load` imports, for components that the server renders. The server adds the
 *   files of this chunk to the first HTML.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  loading: ReactNode | ((props: Props) => ReactNode),
  chunk?: string,
): ComponentType<Props> {
  const Lazy = lazy(load);
  let Loaded: ComponentType<Props> | null = null;
  if (chunk !== undefined && isInHtml(chunk))
    awaitBeforeHydration(
      load().then(
        (part) => (Loaded = part.default),
        () => undefined,
      ),
    );
  return function LazyPart(props: Props) {
    if (chunk !== undefined) reportLazyPage(chunk);
    // A part of the server-rendered HTML has no boundary. React hydrates each boundary separately, and an update before
    // that would replace its HTML.
    const [Complete] = useState(() => (chunk !== undefined && isServerRendering() ? Lazy : Loaded));
    if (Complete) return <Complete {...props} />;
    return (
      <Suspense fallback={typeof loading === 'function' ? loading(props) : loading}>
        <Lazy {...props} />
      </Suspense>
    );
  };
}
