import { Counter } from '@acme/ui';
import { createRoot } from 'react-dom/client';

createRoot(document.querySelector('#root')).render(<Counter start={0} />);
