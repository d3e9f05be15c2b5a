/** The page of `npm run dev -w <remote>`. It shows one remote on a simulated host, without federation. */
// This import must be the first one, because its style sheet defines the order of the cascade layers.
import '@alpenglow/ui/global.css';
import { createRoot } from 'react-dom/client';
import { FakeHost } from '@alpenglow/ui/dev/fake-host';
import App from 'remote-under-development';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');
createRoot(root).render(<FakeHost App={App} basePath="/" />);
