import { lazySection } from '@alpenglow/ui';
import { useState } from 'react';
import { useLocation } from 'react-router-dom';
import { isDemo } from './is-demo.ts';

/** Without the guide, the demo works as well, so nothing replaces it if it cannot be loaded. */
const DemoGuide = lazySection(() => import(/* webpackChunkName: "demo" */ './demo-guide.tsx'), null, {
  chunk: 'demo',
  instead: () => null,
});

/** Shows a guide on the home page of a demo, until the visitor closes it. It is shown again after a reload. */
export function DemoArea() {
  const { pathname } = useLocation();
  const [isClosed, setClosed] = useState(false);
  if (isClosed || pathname !== '/' || !isDemo()) return null;
  return <DemoGuide onClose={() => setClosed(true)} />;
}
