// The injector: what instrumented code does, and what it looks like.
import './inject-behaviour.mjs';
import './inject-counts.mjs';
import './inject-forms.mjs';
import './inject-page.mjs';
import { report } from './checks.mjs';

await report();
