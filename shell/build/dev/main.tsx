/** The page of `npm run dev -w <remote>`: the remote alone, without federation, on the fake host. */
// First, because the first style sheet fixes the order of the cascade layers.
import '@alpenglow/ui/global.css';
import { createRoot } from 'react-dom/client';
import { FakeHost } from '@alpenglow/ui/dev/fake-host';
import App from 'remote-under-development';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');
createRoot(root).render(<FakeHost App={App} basePath="/" />);
