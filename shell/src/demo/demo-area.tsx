import { lazy, Suspense, useState, type ComponentType } from 'react';
import { useLocation } from 'react-router-dom';
import { DEMO_META } from './demo-meta.ts';

const isDemo = document.head.querySelector(`meta[name="${DEMO_META}"]`) !== null;

/** Without the guide, the demo works as well, so a failure to load the guide is ignored. */
const loadGuide = (): Promise<{ default: ComponentType<{ readonly onClose: () => void }> }> =>
  import('./demo-guide.tsx').catch(() => ({ default: () => null }));
// The guide is loaded during the questions about age and guidelines, so that it does not move the home page later.
const guide = isDemo ? loadGuide() : null;
const DemoGuide = lazy(() => guide ?? loadGuide());

/** Shows a guide on the home page of a demo, until the visitor closes it. It is shown again after a reload. */
export function DemoArea() {
  const { pathname } = useLocation();
  const [isClosed, setClosed] = useState(false);
  if (!isDemo || isClosed || pathname !== '/') return null;
  return (
    <Suspense>
      <DemoGuide onClose={() => setClosed(true)} />
    </Suspense>
  );
}
