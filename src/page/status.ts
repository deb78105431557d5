import 'uplot/dist/uPlot.min.css';
import './app.css';
import { mountPage } from './live/mount-page.js';
import StatusPage from './view/StatusPage.svelte';

mountPage(StatusPage, {});
