import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';

/**
 * Creates a component whose code is loaded when the component is first shown.
 * @param loading what is shown meanwhile. It may depend on the properties of the component.
 * @param chunk the name of the chunk that `load` imports, for components that the server renders
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  loading: ReactNode | ((props: Props) => ReactNode),
  chunk?: string,
): ComponentType<Props> {
  const Lazy = lazy(load);
  let Loaded: ComponentType<Props> | null = null;
  const { alpenglowHydration: hydration } = globalThis;
  if (chunk && hydration?.parts.includes(chunk))
    hydration.loaders.push(async () => {
      Loaded = (await load()).default;
    });
  return function LazyPart(props: Props) {
    // The server adds the files of the chunk to the HTML.
    if (chunk) globalThis.alpenglowRendering?.lazyParts.add(chunk);
    // A part of the server-rendered HTML has no Suspense boundary. React hydrates each boundary later than the page
    // around it. If an update reached a boundary before, React would drop its HTML and render it again.
    const [Part] = useState(() => Loaded ?? Lazy);
    if (Part !== Lazy) return <Part {...props} />;
    return (
      <Suspense fallback={typeof loading === 'function' ? loading(props) : loading}>
        <Part {...props} />
      </Suspense>
    );
  };
}
