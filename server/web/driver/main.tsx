import { createRoot } from 'react-dom/client';
import './driver.css';
import { keepOffline } from './offline.ts';

const place = document.getElementById('app');
if (place) createRoot(place).render(<h1>Tailgate</h1>);
await keepOffline();
