import { lazyPart } from '@alpenglow/ui';
import { useState, type ComponentType } from 'react';
import { useLocation } from 'react-router-dom';
import { DEMO_META } from './demo-meta.ts';

/** Returns true if the demo accounts exist. The server knows this itself, and the browser reads it from the page. */
const isDemo = () =>
  globalThis.alpenglowRendering?.isDemo ?? document.head.querySelector(`meta[name="${DEMO_META}"]`) !== null;

/** Without the guide, the demo works as well, so a failure to load the guide is ignored. */
const loadGuide = (): Promise<{ default: ComponentType<{ readonly onClose: () => void }> }> =>
  import(/* webpackChunkName: "demo" */ './demo-guide.tsx').catch(() => ({ default: () => null }));
const DemoGuide = lazyPart(loadGuide, null, 'demo');

/** Shows a guide on the home page of a demo, until the visitor closes it. It is shown again after a reload. */
export function DemoArea() {
  const { pathname } = useLocation();
  const [isClosed, setClosed] = useState(false);
  if (isClosed || pathname !== '/' || !isDemo()) return null;
  return <DemoGuide onClose={() => setClosed(true)} />;
}
