"""The pages inside of a project's own admin site."""

from django.contrib.admin import AdminSite
from django.urls import path

from streamapp.admin import register

site = AdminSite("operations")
register(site)
urlpatterns = [path("operations/", site.urls)]
