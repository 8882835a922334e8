"""Celery apps as projects may have them."""

from celery import Celery

app = Celery("sound", broker="redis://127.0.0.1:1/0", set_as_current=False)
without_broker = Celery("without", set_as_current=False)
unconfirmed = Celery("unconfirmed", broker="amqp://127.0.0.1:1//", set_as_current=False)
confirmed = Celery("confirmed", broker="amqp://127.0.0.1:1//", set_as_current=False)
confirmed.conf.broker_transport_options = {"confirm_publish": True}
without_json = Celery("pickled", broker="redis://127.0.0.1:1/0", set_as_current=False)
without_json.conf.accept_content = ["pickle"]
NO_APP = 5
