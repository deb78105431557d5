import './app.css';
import { mountPage } from './live/mount-page.js';
import ConsolePage from './view/ConsolePage.svelte';

mountPage(ConsolePage, {});
